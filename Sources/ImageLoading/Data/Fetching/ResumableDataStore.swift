internal import Essentials
internal import Synchronization

/// Keeps the beginnings of interrupted or cancelled transfers in memory, to resume them.
///
/// Old beginnings make room for new ones. A beginning leaves the store when it is resumed.
public final class ResumableDataStore: Sendable {
    /// The maximum total size, in bytes.
    public let maximumByteCount: Int
    /// The maximum number of transfers.
    public let maximumCount: Int

    private struct State {
        /// The oldest first; a linear search is enough for so few.
        var items: [(key: String, value: ResumableData)] = []
        var byteCount = 0

        mutating func remove(at index: Int?) -> ResumableData? {
            guard let item = index.map({ items.remove(at: $0) }) else { return nil }
            byteCount -= item.value.data.count
            return item.value
        }
    }

    private let state = Mutex(State())

    /// Creates a store with limits for bytes and transfers.
    public init(maximumByteCount: Int = 32 << 20, maximumCount: Int = 100) {
        self.maximumByteCount = max(0, maximumByteCount)
        self.maximumCount = max(0, maximumCount)
    }

    /// The number of stored bytes.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    /// The number of stored transfers.
    public var count: Int { state.withLock { $0.items.count } }

    /// Removes all beginnings.
    public func removeAll() {
        // Releases the bytes outside the lock.
        var removed = State()
        state.withLock { swap(&$0, &removed) }
    }

    func store(_ value: ResumableData, for key: String) {
        guard maximumCount > 0, value.data.count <= maximumByteCount else { return }
        var removed: [ResumableData?] = []
        state.withLock { state in
            removed.append(state.remove(at: state.items.firstIndex { $0.key == key }))
            while state.items.count >= maximumCount || state.byteCount > maximumByteCount - value.data.count {
                removed.append(state.remove(at: 0))
            }
            state.items.append((key, value))
            state.byteCount += value.data.count
        }
    }

    func take(_ key: String) -> ResumableData? {
        state.withLock { $0.remove(at: $0.items.firstIndex { $0.key == key }) }
    }
}

/// The beginning of an interrupted transfer, with the data needed to resume it.
struct ResumableData: Sendable {
    /// The response that describes the whole.
    var response: DataResponse
    var data: Data
    /// Identifies the version; sent as `If-Range`.
    var validator: String

    /// Nil if the transfer can't be resumed: the response needs status 200, a known length, ranges and a strong
    /// validator.
    init?(response: DataResponse, data: Data) {
        guard let validator = Self.validator(response), response.statusCode == 200,
            let count = response.expectedByteCount, !data.isEmpty, data.count < count
        else { return nil }
        self.response = response
        self.data = data
        self.validator = validator
    }

    /// The value for `If-Range` (RFC 9110, section 13.1.5); nil if there is none, or the server supports no ranges.
    static func validator(_ response: DataResponse) -> String? {
        guard response.headers.values("Accept-Ranges").contains(where: { $0.trimmedHTTPWhitespace == "bytes" }) else {
            return nil
        }
        if let tag = response.headers["ETag"]?.trimmedHTTPWhitespace {
            // A weak tag (W/) may stay the same when the bytes change.
            return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2 ? tag : nil
        }
        // A date identifies the version if the response is at least a minute newer: the file didn't change again in
        // that second.
        guard let lastModified = response.headers["Last-Modified"]?.trimmedHTTPWhitespace,
            let changed = HTTPDate.secondsSince1970(lastModified),
            let date = response.headers["Date"].flatMap({ HTTPDate.secondsSince1970($0.trimmedHTTPWhitespace) }),
            date - changed >= 60
        else { return nil }
        return lastModified
    }
}
