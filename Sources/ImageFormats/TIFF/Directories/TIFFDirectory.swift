/// One directory of a TIFF structure: its fields, whose values were found to lie within the bytes.
package struct TIFFDirectory {
    /// A field: what it is, and where its values are.
    package struct Field {
        var tag: Int
        /// The type of its values, 1 to 18 (TIFF 6.0, section 2; BigTIFF).
        var type: Int
        /// How many values there are.
        package var count: Int
        /// Where the first one is.
        var offset: Int

        /// Bytes of all values.
        var byteCount: Int { count * Self.byteCount(ofType: type)! }

        /// Bytes of a value; nil for a type that doesn't exist.
        static func byteCount(ofType type: Int) -> Int? {
            switch type {
            case 1, 2, 6, 7: 1
            case 3, 8: 2
            case 4, 9, 11, 13: 4
            case 5, 10, 12, 16, 17, 18: 8
            default: nil
            }
        }
    }

    /// The fields, in the file's order.
    var fields: [Field]

    /// The first field of `tag`.
    package subscript(tag: Int) -> Field? { fields.first { $0.tag == tag } }
}
