// A request that is not carried out, with the reason; the worker stays healthy.

export const UNSUPPORTED = "UnsupportedOperation";
export const INFEASIBLE = "InfeasibleParameters";
export const BAD_REQUEST = "BadRequest";

export class Refusal extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

export function require(holds, otherwise) {
  if (!holds) throw new Refusal(BAD_REQUEST, otherwise);
}

/** Returns what `read` returns. Whatever it cannot read as the protocol says is a bad request. */
export function reading(what, read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(BAD_REQUEST, `${what}: ${error.name}: ${error.message}`);
  }
}

/**
 * Returns what `call` returns. What the library throws is a refusal in the library's own words.
 *
 * node-seal throws plain Errors for every C++ exception. TypeErrors and the like are faults of the worker.
 */
export function callingLibrary(doing, call) {
  try {
    return call();
  } catch (error) {
    if (error instanceof Refusal || error?.constructor !== Error) throw error;
    // SEAL gives out no ciphertext that hides nothing (x - x): no parameters would change that
    const kind = error.message.includes("transparent") ? UNSUPPORTED : INFEASIBLE;
    throw new Refusal(kind, `${doing}: ${error.message}`);
  }
}
