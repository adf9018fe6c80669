/// How a picture is turned (IIIF Image API 3.0, 4.3).
package struct IIIFRotation: Hashable, Sendable {
    /// Left and right are changed before it is turned.
    package let isMirrored: Bool
    /// Degrees clockwise, 0 ..< 360.
    package let degrees: DecimalNumber

    /// The rotation that `text` is.
    /// - Throws: 400 for what isn't one or is more than 360 degrees.
    init(_ text: String) throws(RequestFailure) {
        isMirrored = text.utf8.first == UInt8(ascii: "!")
        guard let degrees = DecimalNumber(Substring(text.utf8.dropFirst(isMirrored ? 1 : 0))), degrees.value <= 360
        else {
            throw .malformed("the rotation isn't a decimal number from 0 to 360, or ! and one")
        }
        self.degrees = degrees.value == 360 ? DecimalNumber(0) : degrees
    }

    /// As it is written best.
    var canonical: String { (isMirrored ? "!" : "") + degrees.text }
}
