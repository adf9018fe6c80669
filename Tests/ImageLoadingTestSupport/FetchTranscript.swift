#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import ImageLoading

/// What a fetch reported, with the bytes that it leaves its receiver with.
package struct FetchTranscript: Sendable {
    /// Such as `200`, `+3` for three bytes, and `restart`.
    package var events: [String] = []
    package var response: DataResponse?
    package var bytes: [UInt8] = []

    package init() {}

    package mutating func note(_ event: DataFetcher.Event) {
        switch event {
        case .response(let response):
            events.append("\(response.statusCode)")
            self.response = response
        case .data(let data):
            events.append("+\(data.count)")
            bytes += data
        case .restart:
            events.append("restart")
            bytes = []
            response = nil
        }
    }
}

extension DataFetcher {
    /// Fetches and writes down what is reported.
    package func transcript(
        _ request: DataRequest, conditionalOn metadata: DataCacheMetadata? = nil
    ) async throws -> FetchTranscript {
        var transcript = FetchTranscript()
        try await fetch(request, conditionalOn: metadata) { transcript.note($0) }
        return transcript
    }
}
