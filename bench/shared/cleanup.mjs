const left = new Set();

/** What must be undone, also if the run is stopped. Gives the function that does it now. */
export function undoLater(work) {
  left.add(work);
  return async () => {
    left.delete(work);
    await work();
  };
}

/** After the children have ended. */
export async function undoAll() {
  for (const work of left) await work().catch((error) => console.error(error.message));
}
