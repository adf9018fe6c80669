/// Texts and numbers from the caller.
enum CallerText {
    /// Returns the text at `pointer`; nil for NULL.
    /// - Throws: A failure for bytes that aren't UTF-8.
    static func read(_ pointer: UnsafePointer<CChar>?, name: String) throws(LibraryFailure) -> String? {
        guard let pointer else { return nil }
        guard let text = String(validatingCString: pointer) else { throw .invalid("\(name) isn't UTF-8") }
        return text
    }

    /// Returns the text at `pointer`, which is required.
    /// - Throws: A failure for NULL, an empty text, and bytes that aren't UTF-8.
    static func readRequired(_ pointer: UnsafePointer<CChar>?, name: String) throws(LibraryFailure) -> String {
        guard let text = try read(pointer, name: name) else { throw .invalid("\(name) is NULL") }
        guard !text.isEmpty else { throw .invalid("\(name) is empty") }
        return text
    }

    /// Returns a number that must not be negative, or `standard` for 0.
    /// - Throws: A failure for a negative number.
    static func count(_ value: Int64, name: String, standard: Int) throws(LibraryFailure) -> Int {
        guard value >= 0 else { throw .invalid("\(name) of \(value) is negative") }
        return value == 0 ? standard : Int(value)
    }

    /// Returns a quality, or `standard` for 0.
    /// - Throws: A failure for a number that isn't from 0 to 1.
    static func quality(_ value: Double, standard: Double) throws(LibraryFailure) -> Double {
        guard value >= 0, value <= 1 else { throw .invalid("a quality of \(value) is not between 0 and 1") }
        return value == 0 ? standard : value
    }
}
