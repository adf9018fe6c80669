#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import ImageLoading
internal import Raster

/// A loader whose bytes take detours: it lets other tasks run between them, as often as the URL says.
///
/// `http://test/NUMBER` is ten bytes of that value; every seventh number breaks off, every eleventh isn't there.
package struct YieldingDataLoader: DataLoading {
    package init() {}

    /// Whether a picture of this number can be loaded.
    package static func isWhole(_ number: Int) -> Bool { number % 7 != 0 && number % 11 != 0 }

    package func load(_ request: DataRequest) async throws -> DataDownload {
        let number = Int(request.url.lastPathComponent) ?? 0
        for _ in 0..<number % 5 { await Task.yield() }
        try Task.checkCancellation()
        guard number % 11 != 0 else {
            return DataDownload(response: DataResponse(url: request.url, statusCode: 404), body: DataChunks(Data()))
        }
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            let task = Task {
                for index in 0..<10 {
                    if number % 7 == 0, index == 5 {
                        return continuation.finish(throwing: ImageError(.inputOutput, "broken off"))
                    }
                    continuation.yield(Data([UInt8(truncatingIfNeeded: number)]))
                    await Task.yield()
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
        return DataDownload(
            response: DataResponse(url: request.url, expectedByteCount: 10), body: DataChunks(chunks))
    }
}
