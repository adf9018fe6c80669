#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ImageFormats

extension ImageFormat {
    /// What `data` is by its content: a picture that can be read here, or a video; nil where it is neither.
    public init?(data: Data) { self.init(data: data, isComplete: true) }

    /// As `init(data:)`, of bytes that may be followed by others.
    init?(data: Data, isComplete: Bool) {
        let bytes = data.bytes
        let probe = isComplete ? FormatProbe(whole: bytes) : FormatProbe(streamPrefix: bytes)
        if case .match(let format, _) = CodecRegistry.default.identify(probe) {
            self = format
        } else if case .match(let format, _) = VideoSignature.identify(probe) {
            self = format
        } else {
            return nil
        }
    }
}
