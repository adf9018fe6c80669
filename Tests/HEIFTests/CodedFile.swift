import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// A file that one of the codecs wrote, and what every such file must stand.
struct CodedFile {
    let bytes: [UInt8]
    let registry: CodecRegistry

    init(_ bytes: [UInt8], _ registry: CodecRegistry) { (self.bytes, self.registry) = (bytes, registry) }

    /// An image of a pixel format, with transparency where `alpha` has it.
    static func sample(
        _ format: PixelFormat, alpha: AlphaMode = .none, width: Int = 74, height: Int = 46
    ) throws -> Bitmap {
        let picture: SamplePicture = alpha.hasAlpha ? .fruit : .valley
        let bitmap = try picture.makeBitmap(size: PixelSize(width: width, height: height))
        return try bitmap.converted(to: format, alpha: format.isGray ? AlphaMode.none : alpha)
    }

    /// The error that decoding throws or returns.
    private func code(_ bytes: [UInt8], _ options: DecodingOptions) -> ImageError.Code? {
        errorCode {
            let decoded = try ImageSource.decode(bytes, options: options, registry: registry)
            if let error = decoded.error { throw error }
        }
    }

    /// Expects an error of the file's, and nothing worse, wherever it ends.
    func expectErrorsWhenTruncated() {
        for count in stride(from: 0, to: bytes.count, by: 7) {
            let code = code(Array(bytes.prefix(count)), DecodingOptions(color: .asStored))
            #expect(code == .truncated || code == .corrupt || code == .unknownFormat, "\(count) bytes: \(code as Any)")
        }
    }

    /// Expects an error or an image of the header's size with a few bytes among the first `count` changed.
    func expectNoTrapWhenDamaged(seed: UInt64, first count: Int = .max) {
        var random = SeededGenerator(seed)
        for _ in 0..<400 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let offset = Int.random(in: 0..<min(count, bytes.count), using: &random)
                damaged[offset] = UInt8.random(in: 0...255, using: &random)
            }
            let options = DecodingOptions(color: .asStored)
            let decoded = try? ImageSource.decode(damaged, options: options, registry: registry)
            #expect(decoded == nil || decoded!.bitmap.size == decoded!.header.size)
        }
    }

    /// Expects each limit to be checked for an image of `size`.
    func expectLimits(_ size: PixelSize) {
        func code(_ change: (inout DecodingLimits) -> Void) -> ImageError.Code? {
            var limits = DecodingLimits.standard
            change(&limits)
            return self.code(bytes, DecodingOptions(limits: limits))
        }
        #expect(code { _ in } == nil)
        #expect(code { $0.maximumPixelCount = size.pixelCount - 1 } == .limitExceeded)
        #expect(code { $0.maximumSideLength = size.width - 1 } == .limitExceeded)
        #expect(code { $0.maximumInputByteCount = bytes.count - 1 } == .limitExceeded)
        #expect(code { $0.maximumWorkingByteCount = size.pixelCount } == .limitExceeded)
    }
}
