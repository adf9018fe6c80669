#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import ImageFormats

extension ImageFormat {
    /// MPEG-4 video (ISO/IEC 14496-14). Known by its bytes, not decoded here.
    public static let mp4 = ImageFormat(
        typeIdentifier: "public.mpeg-4", name: "MP4", mimeTypes: ["video/mp4"], filenameExtensions: ["mp4", "mpg4"])
    /// Apple's MPEG-4 video. Known by its bytes, not decoded here.
    public static let m4v = ImageFormat(
        typeIdentifier: "com.apple.m4v-video", name: "M4V", mimeTypes: ["video/x-m4v"], filenameExtensions: ["m4v"])
    /// QuickTime video. Known by its bytes, not decoded here.
    public static let quickTime = ImageFormat(
        typeIdentifier: "com.apple.quicktime-movie", name: "QuickTime", mimeTypes: ["video/quicktime"],
        filenameExtensions: ["mov", "qt"])
    /// WebM video. Known by its bytes, not decoded here.
    public static let webM = ImageFormat(
        typeIdentifier: "org.webmproject.webm", name: "WebM", mimeTypes: ["video/webm"], filenameExtensions: ["webm"])
    /// Matroska video. Known by its bytes, not decoded here.
    public static let matroska = ImageFormat(
        typeIdentifier: "org.matroska.mkv", name: "Matroska", mimeTypes: ["video/matroska", "video/x-matroska"],
        filenameExtensions: ["mkv"])

    /// Whether it is one of the videos above.
    public var isVideo: Bool { [Self.mp4, .m4v, .quickTime, .webM, .matroska].contains(self) }

    /// The video that `data` is, or begins; nil where it is none or there are too few bytes to tell.
    init?(video data: Data, isComplete: Bool) {
        let bytes = data.bytes
        let probe = isComplete ? FormatProbe(whole: bytes) : FormatProbe(streamPrefix: bytes)
        guard case .match(let format, _) = VideoSignature.identify(probe) else { return nil }
        self = format
    }
}
