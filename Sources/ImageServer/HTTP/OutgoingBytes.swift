#if Server
internal import NIOCore
internal import Synchronization

/// Counts the memory of responses that clients haven't read, against one limit for all connections.
///
/// A buffer that several connections send, such as a cached one, counts once.
final class OutgoingBytes: Sendable {
    /// Memory that counts until `end` is called.
    struct Lease: Sendable {
        /// A lease of no bytes.
        static let none = Lease()

        fileprivate var bytes: OutgoingBytes?
        fileprivate var count = 0
        /// Retained so that its address isn't reused.
        fileprivate var buffer: ByteBuffer?

        /// Stops counting. Call it once.
        func end() { bytes?.end(self) }
    }

    private struct State {
        var byteCount = 0
        /// The number of leases for each buffer, by its storage address.
        var leaseCounts: [UInt: Int] = [:]
    }

    private let state = Mutex(State())
    /// The limit. Leases are refused once the count reaches it, so one response at most exceeds it.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The bytes that count now.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Counts the memory of `buffer`.
    /// - Returns: Nil if the limit is reached.
    func lease(_ buffer: ByteBuffer) -> Lease? {
        guard buffer.readableBytes > 0 else { return Lease.none }
        let address = Self.address(of: buffer)
        let lease = Lease(bytes: self, count: buffer.storageCapacity, buffer: buffer)
        return state.withLock { state in
            if let count = state.leaseCounts[address] {
                state.leaseCounts[address] = count + 1
                return lease
            }
            guard state.byteCount < limit else { return nil }
            state.leaseCounts[address] = 1
            state.byteCount += lease.count
            return lease
        }
    }

    /// Counts `count` bytes that no other connection shares.
    /// - Returns: Nil if the limit is reached.
    func lease(byteCount count: Int) -> Lease? {
        state.withLock { state in
            guard state.byteCount < limit else { return nil }
            state.byteCount += count
            return Lease(bytes: self, count: count, buffer: nil)
        }
    }

    private func end(_ lease: Lease) {
        let address = lease.buffer.map(Self.address)
        state.withLock { state in
            if let address, let count = state.leaseCounts[address] {
                state.leaseCounts[address] = count > 1 ? count - 1 : nil
                guard count == 1 else { return }
            }
            state.byteCount -= lease.count
        }
    }

    /// The address of the buffer's storage, for comparison only.
    private static func address(of buffer: ByteBuffer) -> UInt {
        buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
#endif
