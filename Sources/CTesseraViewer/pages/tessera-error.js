// An error of the module: `code` for programs, `message` for people, and the byte offset in the file where one is known.
//
// Codes: "unreachable" (no answer, or one that this page may not read), "status" (with `status`), "changed" (the picture isn't
// the one that the index describes), "unsupported" (a JPEG that can't be divided), "invalidIndex", "damaged", "tooLarge",
// "module" (the WebAssembly module failed, and was started again), "aborted".
export class TesseraError extends Error {
  constructor(code, message, { offset = null, status = 0 } = {}) {
    super(message);
    this.name = "TesseraError";
    this.code = code;
    this.offset = offset;
    this.status = status;
  }
}

// Errors cross from the worker to the page as plain objects.
export function described(error) {
  if (error instanceof TesseraError) {
    return { code: error.code, message: error.message, offset: error.offset, status: error.status };
  }
  if (error?.name === "AbortError") return { code: "aborted", message: "The request was cancelled." };
  if (error instanceof RangeError) return { code: "range", message: error.message };
  return { code: "damaged", message: String(error?.message ?? error) };
}

export function restored({ code, message, offset, status }) {
  if (code === "range") return new RangeError(message);
  return code === "aborted" ? new DOMException(message, "AbortError") : new TesseraError(code, message, { offset, status });
}
