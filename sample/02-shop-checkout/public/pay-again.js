import { actionOf } from './action.js';
import { byId } from './http.js';
import { text } from './words.js';

const SECOND_MS = 1_000;

/** The form that asks for the money of an order again: its button, and the phone where another one may pay. */
export class PayAgain {
  #order;
  #until = 0;
  #timer;
  #wantsOther = false;

  constructor(form) {
    this.form = form;
    byId('change').addEventListener('click', () => {
      this.#wantsOther = true;
      this.#draw();
      form.elements.phone.focus();
    });
  }

  /** Also after a change of the language, with the same order. */
  show(order) {
    if (order !== this.#order) {
      if (order.state !== 'failed') this.form.reset();
      this.#wantsOther = false;
      this.#until = Date.now() + order.waitMs;
      this.#order = order;
    }
    this.#draw();
  }

  #draw() {
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#until - Date.now());
    const action = actionOf({ ...this.#order, waitMs });
    const { phone } = this.form.elements;
    const asksPhone = action === 'number' || (action === 'again' && this.#wantsOther);
    this.form.hidden = action === 'nothing';
    phone.required = asksPhone;
    phone.disabled = !asksPhone;
    byId('other').hidden = !asksPhone;
    byId('change').hidden = action !== 'again' || this.#wantsOther;
    byId('pay').disabled = action === 'wait';
    byId('pay').textContent = text(buttonOf(action, asksPhone), {
      amount: this.#order.amountText,
      seconds: Math.ceil(waitMs / SECOND_MS),
    });
    if (action === 'wait') this.#timer = setTimeout(() => this.#draw(), waitMs % SECOND_MS || SECOND_MS);
  }
}

function buttonOf(action, asksPhone) {
  if (action === 'pay' || asksPhone) return 'pay';
  return action === 'wait' ? 'againLater' : 'again';
}
