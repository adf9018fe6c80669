#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import ImageFormats
package import Raster

extension ImageAnimation {
    /// Writes all frames that are there, processed, as `format`.
    /// - Parameter first: The first of them, upright.
    /// - Throws: `ImageError`, and what the processors throw.
    package func encode(
        as format: ImageFormat, options: EncodingOptions, first: Bitmap, to output: any ByteSink
    ) throws {
        var options = options
        options.loopCount = loopCount
        let durations = durations
        var failure: (any Error)?
        do {
            try ImageDestination(format: format, options: options).encode(count: durations.count, to: output) {
                (index) throws(ImageError) in
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
    }

    /// The file for all frames that are there, processed, in the format that `format` names for the first one.
    func encoded(_ options: EncodingOptions, format: (Bitmap) -> ImageFormat) throws -> Data {
        let first = try decodedFrame(at: 0).uprightBitmap()
        let output = ByteBuffer()
        try encode(as: format(first), options: options, first: first, to: output)
        return Data(output.bytes)
    }
}
