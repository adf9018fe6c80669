#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ImageFormats
internal import Raster

extension ImageAnimation {
    /// The file for all frames that are there, processed, in the format that `format` names for the first one.
    func encoded(_ options: EncodingOptions, format: (Bitmap) -> ImageFormat) throws -> Data {
        let durations = durations
        let first = try decodedFrame(at: 0).uprightBitmap()
        var options = options
        options.loopCount = loopCount
        let destination = try ImageDestination(format: format(first), options: options)
        let output = ByteBuffer()
        var failure: (any Error)?
        do {
            try destination.encode(count: durations.count, to: output) { (index) throws(ImageError) in
                guard index > 0 else { return (first, durations[0]) }
                do {
                    return (try self.decodedFrame(at: index).uprightBitmap(), durations[index])
                } catch let error as ImageError {
                    throw error
                } catch {
                    // A processor's own error, which the encoder can't carry.
                    failure = error
                    throw ImageError(.cancelled, "a processor failed")
                }
            }
        } catch {
            throw failure ?? error
        }
        return Data(output.bytes)
    }
}

extension Image {
    /// The pixels as they are shown.
    func uprightBitmap() throws(ImageError) -> Bitmap { try bitmap().oriented(by: orientation) }
}
