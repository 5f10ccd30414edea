/**
 * Takes down what the package sends to a storage, in its order: `{ text, params, answer }`, `{ inside: [steps] }` for a
 * connection or a transaction, and `{ beside: [steps] }` for a request to the gateway with what was sent before its answer.
 */
export class Recorder {
  steps = [];
  #open = [];

  /**
   * A statement or a command. Its answer is kept too, for what the server makes: fences and versions.
   *
   * @param list What `enter()` gave, for a statement on that connection.
   */
  sent(step, answering, list = this.#current) {
    list.push(step);
    return answering.then((answer) => {
      step.answer = answer;
      return answer;
    });
  }

  /** Until it is left, what begins is taken down inside of it. */
  enter(kind = 'inside') {
    const list = [];
    this.#current.push({ [kind]: list });
    this.#open.push(list);
    return list;
  }

  leave(list) {
    this.#open.splice(this.#open.indexOf(list), 1);
  }

  /** What was taken down since the last call. */
  take() {
    const { steps } = this;
    this.steps = [];
    return steps;
  }

  get #current() {
    return this.#open.at(-1) ?? this.steps;
  }
}
