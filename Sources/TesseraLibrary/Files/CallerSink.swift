internal import CTessera
internal import ImageFormats
internal import Platform
internal import Raster

/// Passes encoded bytes to the caller's callback. Used by one thread at a time.
final class CallerSink: ByteSink {
    private let sink: tessera_sink
    private let function: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int64
    private var failure: ImageError?

    init(_ sink: tessera_sink) throws(LibraryFailure) {
        guard let function = sink.write else { throw .invalid("sink.write is NULL") }
        self.sink = sink
        self.function = function
    }

    func write(_ bytes: RawSpan) throws(ImageError) {
        if let failure { throw failure }
        do throws(ImageError) {
            try bytes.withUnsafeBytes { (bytes) throws(ImageError) in
                var rest = bytes
                while !rest.isEmpty {
                    let count = LibraryCall.callback { function(sink.context, rest.baseAddress, rest.count) }
                    guard 1...Int64(rest.count) ~= count else {
                        throw ImageError(
                            .inputOutput,
                            "the sink's write callback failed: it returned \(count) for \(rest.count) bytes"
                        )
                    }
                    rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
                }
            }
        } catch {
            failure = error
            throw error
        }
    }
}
