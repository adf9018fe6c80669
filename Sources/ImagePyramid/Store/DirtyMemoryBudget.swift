internal import Dispatch
internal import Platform
internal import Raster
internal import Synchronization

/// How much memory may hold tiles that were written and aren't on the disk yet, in all stores that share it.
///
/// The system keeps what is written in memory until it has time, and a store is filled faster than disks are. Who would
/// write more than there is room for waits until others' tiles, or its own, are on the disk: always those of the store
/// that has most of them in memory, so that a large picture gives way to a small one and each gets on. Tiles stay readable,
/// and mostly in memory, when they are on the disk; but that memory can be had when it is wanted.
///
/// Stores in memory, and those on a disk that is memory, can't be made smaller by this; the former don't take part.
package final class DirtyMemoryBudget: Sendable {
    /// What stores share unless told otherwise: an eighth of the memory there is, at least 64 MiB.
    package static let shared = DirtyMemoryBudget(byteLimit: max(64 << 20, SystemMemory.physicalByteCount / 8))

    /// Bytes that may be in memory alone, at most. A single row of tiles that is larger is let through by itself.
    package let byteLimit: Int

    fileprivate struct State {
        var byteCount = 0
        var accounts: [Account] = []
        var waiting: [DispatchSemaphore] = []
    }

    fileprivate enum Step {
        case go
        case fail(ImageError)
        case wait(DispatchSemaphore)
        case clean(Account, Range<Int>, byteCount: Int)
    }

    private let state = Mutex(State())

    /// A budget of `byteLimit` bytes.
    package init(byteLimit: Int) {
        self.byteLimit = max(0, byteLimit)
    }

    /// Bytes that are in memory alone now, as far as the stores know: the system may have written some of them.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// What one store has in memory.
    ///
    /// Unchecked: only the budget looks inside, under its lock.
    final class Account: @unchecked Sendable {
        fileprivate let file: TileFile
        fileprivate var isDirty: [Bool]
        /// Slots that were written, the longest ago first.
        fileprivate var written: [Range<Int>] = []
        fileprivate var byteCount = 0
        fileprivate var isOpen = true
        fileprivate var failure: ImageError?

        fileprivate init(_ file: TileFile, slotCount: Int) {
            self.file = file
            isDirty = [Bool](repeating: false, count: slotCount)
        }
    }

    func open(_ file: TileFile, slotCount: Int) -> Account {
        let account = Account(file, slotCount: slotCount)
        state.withLock { $0.accounts.append(account) }
        return account
    }

    /// Takes what the account has out of the reckoning: its file is about to go.
    func close(_ account: Account) {
        state.withLock { state in
            account.isOpen = false
            state.byteCount -= account.byteCount
            state.accounts.removeAll { $0 === account }
            state.wakeAll()
        }
    }

    func byteCount(of account: Account) -> Int { state.withLock { _ in account.byteCount } }

    /// Waits until there is room for `slots`, which are about to be written, and counts them.
    /// - Throws: What kept the account's tiles from getting to the disk.
    func reserve(_ slots: Range<Int>, for account: Account) throws(ImageError) {
        while true {
            let step = state.withLock { $0.step(slots, account, byteLimit) }
            switch step {
            case .go: return
            case .fail(let error): throw error
            case .wait(let semaphore): semaphore.wait()
            case .clean(let victim, let range, let byteCount):
                var failure: ImageError?
                do throws(ImageError) {
                    let slot = RawTileStore.slotByteCount
                    try victim.file.writeBack(range.lowerBound * slot..<range.upperBound * slot)
                } catch {
                    failure = error
                }
                state.withLock { state in
                    victim.failure = victim.failure ?? failure
                    if victim.isOpen {
                        victim.byteCount -= byteCount
                        state.byteCount -= byteCount
                    }
                    state.wakeAll()
                }
            }
        }
    }

    /// Says that `slots` were written, or that they never will be.
    func commit(_ slots: Range<Int>, for account: Account) {
        state.withLock { state in
            guard account.isOpen else { return }
            // One that was written to the disk while it was written anew counts again.
            state.count(slots, account)
            // Pieces that the disk takes in a few milliseconds.
            if let last = account.written.last, last.upperBound == slots.lowerBound, last.count + slots.count <= 32 {
                account.written[account.written.count - 1] = last.lowerBound..<slots.upperBound
            } else {
                account.written.append(slots)
            }
            state.wakeAll()
        }
    }
}

extension DirtyMemoryBudget.State {
    fileprivate mutating func step(
        _ slots: Range<Int>, _ account: DirtyMemoryBudget.Account, _ limit: Int
    ) -> DirtyMemoryBudget.Step {
        if let failure = account.failure { return .fail(failure) }
        let wanted = slots.count { !account.isDirty[$0] } * RawTileStore.slotByteCount
        guard wanted > 0, byteCount > 0, byteCount > limit - wanted else {
            count(slots, account)
            return .go
        }
        while let victim = accounts.filter({ !$0.written.isEmpty }).max(by: { $0.byteCount < $1.byteCount }) {
            let range = victim.written.removeFirst()
            let cleaned = range.count { victim.isDirty[$0] } * RawTileStore.slotByteCount
            guard cleaned > 0 else { continue }
            for slot in range { victim.isDirty[slot] = false }
            return .clean(victim, range, byteCount: cleaned)
        }
        // All there is is being written, to the file or to the disk.
        let semaphore = DispatchSemaphore(value: 0)
        waiting.append(semaphore)
        return .wait(semaphore)
    }

    fileprivate mutating func count(_ slots: Range<Int>, _ account: DirtyMemoryBudget.Account) {
        for slot in slots where !account.isDirty[slot] {
            account.isDirty[slot] = true
            account.byteCount += RawTileStore.slotByteCount
            byteCount += RawTileStore.slotByteCount
        }
    }

    fileprivate mutating func wakeAll() {
        for semaphore in waiting { semaphore.signal() }
        waiting = []
    }
}
