/// The format of a mask, as its own first bytes tell it.
public enum JPNGMaskKind: String, CaseIterable, Sendable {
    /// A grey PNG: format version 1.
    case png
    /// A grey JPEG: format version 2.
    case jpeg

    /// The number of bytes from which every kind is told.
    public static let signatureSize = 8

    /// The kind that the bytes begin with: PNG's eight-byte signature or JPEG's start-of-image marker, else nil.
    public init?(signature bytes: RawSpan) {
        if bytes.startsAsJPEG {
            self = .jpeg
        } else if bytes.startsAsPNG {
            self = .png
        } else {
            return nil
        }
    }

    /// The major format version that announces a mask of this kind.
    public var majorVersion: UInt8 {
        switch self {
        case .png: 1
        case .jpeg: 2
        }
    }
}
