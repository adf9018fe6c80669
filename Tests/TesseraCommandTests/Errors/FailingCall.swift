import Testing

/// A call of the program that must fail, and the words by which its error helps.
struct FailingCall: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    let status: Int32
    /// Parts of standard error: the failure with its value, the limit or the valid values, the remedy.
    let words: [String]

    /// - Parameter call: The arguments, separated by spaces.
    init(_ call: String, _ status: Int32, _ words: String...) {
        arguments = call.split(separator: " ").map(String.init)
        self.status = status
        self.words = words
    }

    var testDescription: String { arguments.joined(separator: " ") }
}
