#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes pictures of bytes.
///
/// A pipeline makes one decoder for each download, with the first bytes for which the registry has one, and uses it to
/// the end, one call at a time. Make it a class if it has to keep something from one call to the next.
public protocol ImageDecoding: Sendable {
    /// The picture in `data`, which is everything.
    func decode(_ data: Data) throws -> ImageContainer

    /// A preview of the picture that `data` begins, which is everything so far; nil where there is nothing new to show.
    ///
    /// May be called any number of times, never two at a time. Bytes that arrive during a call are in the next one's.
    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
    /// Nil: no previews.
    public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}
