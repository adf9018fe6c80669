internal import ImageFormats
internal import Tessera

extension ImageError {
    /// The error as a line about `input`; an `inputOutput` error already names its file. Limits are named as options.
    func message(about input: InputLocation) -> String {
        code == .inputOutput ? "\(self)" : LimitsArguments.namingOptions(in: "\(input): \(self)")
    }

    /// The object that a batch prints for an input that failed.
    func json(about input: InputLocation) -> JSONValue {
        .object([("input", .string("\(input)")), ("error", .string(message))])
    }

    /// The error with a message that names `input`.
    func naming(_ input: InputLocation) -> ImageError { ImageError(code, message(about: input)) }
}
