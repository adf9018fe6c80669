import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Ending coding early")
struct InterruptionTests {
    private static let formats: [ImageFormat] = [.jpeg, .png, .jpng, .gif, .webP, .tiff, .heic, .avif, .jpegXL, .bmp]
        .filter { CodecRegistry.default.canEncode($0) }

    /// Runs `body` as a task that can be interrupted and cancels it with the function that `body` is given.
    private func interrupted<R: Sendable>(
        _ body: @escaping @Sendable (_ cancel: () -> Void) throws(ImageError) -> R
    ) async -> Result<R, ImageError> {
        await Task {
            do throws(ImageError) {
                return .success(
                    try await Interruption.perform { () throws(ImageError) in
                        try body { withUnsafeCurrentTask { $0?.cancel() } }
                    })
            } catch {
                return .failure(error)
            }
        }.value
    }

    private func code<R>(_ result: Result<R, ImageError>) -> ImageError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("Work outside of a task ends when it is asked to", arguments: formats)
    func outsideOfTask(_ format: ImageFormat) throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 200, height: 150))
        let error = #expect(throws: ImageError.self) {
            try Interruption.interruptible { (interruption) throws(ImageError) in
                interruption.request()
                return try ImageDestination(format: format).encode(bitmap)
            }
        }
        #expect(error?.code == .cancelled)
        let whole = try Interruption.interruptible { (_) throws(ImageError) in
            try ImageDestination(format: format).encode(bitmap)
        }
        #expect(!whole.isEmpty)
    }

    @Test("A cancelled task encodes nothing", arguments: formats)
    func whole(_ format: ImageFormat) async throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 200, height: 150))
        let result = await interrupted { (cancel) throws(ImageError) in
            cancel()
            return try ImageDestination(format: format).encode(bitmap)
        }
        #expect(code(result) == .cancelled)
    }

    @Test(
        "An encoder with all rows ends when the task is cancelled",
        arguments: formats.filter {
            [.gif, .webP, .heic, .avif, .jpegXL].contains($0)
        })
    func compressing(_ format: ImageFormat) async throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 200, height: 150))
        let codec = try #require(CodecRegistry.default.codec(for: format))
        let options = EncodingOptions()
        let info = codec.encodableInfo(for: bitmap.info, options: options)
        let rows = try bitmap.converted(to: info.format, alpha: info.alpha)
        let result = await interrupted { (cancel) throws(ImageError) in
            let encoder = try codec.makeEncoder(rows.info, options: options, output: ImageFormats.ByteBuffer())
            try encoder.write(rows.rows)
            cancel()
            try encoder.finish()
        }
        #expect(code(result) == .cancelled)
    }

    @Test("A cancelled animation ends between frames")
    func frames() async throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 60, height: 50))
        let result = await interrupted { (cancel) throws(ImageError) in
            var count = 0
            do throws(ImageError) {
                try ImageDestination(format: .gif).encode(count: 10, to: ImageFormats.ByteBuffer()) { index in
                    count = index + 1
                    if index == 3 { cancel() }
                    return (bitmap, 0.1)
                }
            } catch {
                return (count, error.code)
            }
            return (count, ImageError.Code.corrupt)
        }
        let (count, code) = try result.get()
        #expect(count == 4 && code == .cancelled)
    }

    @Test("Cancelled rows end")
    func decoding() async throws {
        let file = try ImageDestination(format: .png).encode(.grainy(PixelSize(width: 200, height: 150)))
        let result = await interrupted { (cancel) throws(ImageError) in
            let rows = try ImageRowSource(Source(file))
            cancel()
            return try rows.makeBitmap()
        }
        #expect(code(result) == .cancelled)
    }

    @Test("Without interruption a cancelled task encodes and decodes like any other")
    func notAsked() async throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 200, height: 150))
        let size = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let file = try ImageDestination(format: .png).encode(bitmap)
            return try ImageRowSource(Source(file)).makeBitmap().size
        }.value
        #expect(size == bitmap.size)
    }
}
