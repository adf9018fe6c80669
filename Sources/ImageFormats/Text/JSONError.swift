/// A defect of JSON text, or a value that isn't as expected.
package struct JSONError: Error, CustomStringConvertible {
    /// A sentence with the place, without a full stop.
    package let description: String

    init(_ description: String) { self.description = description }
}
