internal import Essentials
internal import Synchronization

/// Keeps the beginnings of transfers that broke off or were cancelled, in memory, so that they can be continued.
///
/// The newest are kept. A beginning leaves the store when its continuation begins.
public final class ResumableDataStore: Sendable {
    /// Bytes in all, at most.
    public let maximumByteCount: Int
    /// Transfers, at most.
    public let maximumCount: Int

    private struct State {
        /// Oldest first: there are few.
        var items: [(key: String, value: ResumableData)] = []
        var byteCount = 0

        mutating func remove(at index: Int?) -> ResumableData? {
            guard let item = index.map({ items.remove(at: $0) }) else { return nil }
            byteCount -= item.value.data.count
            return item.value
        }
    }

    private let state = Mutex(State())

    /// A store for that much.
    public init(maximumByteCount: Int = 32 << 20, maximumCount: Int = 100) {
        self.maximumByteCount = max(0, maximumByteCount)
        self.maximumCount = max(0, maximumCount)
    }

    /// Bytes that are kept.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    /// Transfers that are kept.
    public var count: Int { state.withLock { $0.items.count } }

    /// Forgets everything.
    public func removeAll() {
        // The bytes go when this does, outside the lock.
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

/// The beginning of a transfer that broke off, and how it can be continued.
struct ResumableData: Sendable {
    /// What the server said of the whole.
    var response: DataResponse
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
