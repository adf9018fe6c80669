import Testing

/// A call of the program that must fail.
struct Refusal: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    let status: Int32
    /// A part of what it writes to standard error.
    let message: String

    init(_ arguments: String..., status: Int32 = 64, says message: String) {
        self.arguments = arguments
        self.status = status
        self.message = message
    }

    var testDescription: String { arguments.joined(separator: " ") }
}
