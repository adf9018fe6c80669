/// The application segments that a picture's metadata travels in, told apart by what they begin with.
enum JPEGSegment {
    /// APP1, "Exif" and two bytes, the second of which some writers don't make zero (EXIF 2.32, 4.7.2).
    case exif
    /// APP1, Adobe's namespace (XMP part 3, 1.1.3).
    case xmp
    /// APP2, one of up to 255 pieces (ICC.1:2010, B.4).
    case icc
    /// APP1, one of any number of pieces (XMP part 3, 1.1.3.1).
    case extendedXMP
    /// APP2, the list of several pictures in a file (CIPA DC-007, 5.1).
    case multiPicture

    static let exifPrefix: [UInt8] = Array("Exif".utf8) + [0, 0]
    static let xmpPrefix: [UInt8] = Array("http://ns.adobe.com/xap/1.0/".utf8) + [0]
    static let iccPrefix: [UInt8] = Array("ICC_PROFILE".utf8) + [0]
    static let extendedXMPPrefix: [UInt8] = Array("http://ns.adobe.com/xmp/extension/".utf8) + [0]
    static let multiPicturePrefix: [UInt8] = Array("MPF".utf8) + [0]

    /// Bytes that a segment can hold: its length field counts itself and has 16 bits.
    static let maximumByteCount = 65533
}
