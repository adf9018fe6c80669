#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The beginning of a transfer that broke off, and how it can be continued.
struct ResumableData: Sendable {
    /// What the server said of the whole.
    var response: DataResponse
    /// The bytes from the first on.
    var data: Data
    /// What tells the version: sent as `If-Range`.
    var validator: String

    /// Nil where `response` can't be continued: it has to be whole, of known length, to allow ranges and to name its
    /// version beyond doubt.
    init?(response: DataResponse, data: Data) {
        guard let validator = Self.validator(response), response.statusCode == 200,
            let count = response.expectedByteCount, !data.isEmpty, data.count < count
        else { return nil }
        self.response = response
        self.data = data
        self.validator = validator
    }

    /// What can be sent as `If-Range` (RFC 9110, section 13.1.5); nil where nothing can, or no ranges are served.
    static func validator(_ response: DataResponse) -> String? {
        guard response.headers.values("Accept-Ranges").contains(where: { $0.trimmedHTTPWhitespace == "bytes" }) else {
            return nil
        }
        if let tag = response.headers["ETag"]?.trimmedHTTPWhitespace {
            // A weak tag (W/) may stay while bytes change.
            return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2 ? tag : nil
        }
        // A date is as good where the server looked a minute later or more: the file can't have changed again within it.
        guard let lastModified = response.headers["Last-Modified"]?.trimmedHTTPWhitespace,
            let changed = HTTPDate.secondsSince1970(lastModified),
            let date = response.headers["Date"].flatMap({ HTTPDate.secondsSince1970($0.trimmedHTTPWhitespace) }),
            date - changed >= 60
        else { return nil }
        return lastModified
    }
}
