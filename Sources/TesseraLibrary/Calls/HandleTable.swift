internal import CTessera
internal import Synchronization

/// The objects that callers hold, by the numbers that callers take for pointers.
///
/// A number is never used twice, so a handle that was freed is recognised.
final class HandleTable: Sendable {
    static let shared = HandleTable()

    private struct State {
        var last: UInt = 0
        var objects: [UInt: any AnyObject & Sendable] = [:]
    }

    private let state = Mutex(State())

    /// Returns a new handle of `object`.
    func insert(_ object: any AnyObject & Sendable) -> OpaquePointer {
        state.withLock { state in
            state.last += 1
            // Not aligned as pointers are, so that one that is taken for a handle is recognised.
            let handle = state.last << 4 | 9
            state.objects[handle] = object
            return OpaquePointer(bitPattern: handle)!
        }
    }

    /// Returns the object of `handle`.
    /// - Throws: A failure for NULL, and for a handle that was freed or is of another kind.
    func object<Object: AnyObject>(
        _ handle: OpaquePointer?, as type: Object.Type = Object.self, name: String
    ) throws(LibraryFailure) -> Object {
        guard let handle else { throw .invalid("\(name) is NULL") }
        let object = state.withLock { $0.objects[UInt(bitPattern: handle)] }
        guard let object = object as? Object else {
            throw LibraryFailure(
                TESSERA_STATUS_INVALID_HANDLE, "\(name) was freed, or is a handle of another kind")
        }
        return object
    }

    /// Ends the caller's hold of the object of `handle`, if it is of this type.
    func remove<Object: AnyObject>(_ handle: OpaquePointer?, as type: Object.Type) {
        guard let handle, LibraryCall.isUsable else { return }
        let key = UInt(bitPattern: handle)
        // The object may end here, after the lock was released.
        let object = state.withLock { state -> (any AnyObject & Sendable)? in
            guard state.objects[key] is Object else { return nil }
            return state.objects.removeValue(forKey: key)
        }
        withExtendedLifetime(object) {}
    }

    /// Writes a new handle of the object that `make` returns to `target`, or NULL if it throws.
    func store(
        in target: UnsafeMutablePointer<OpaquePointer?>?, name: String,
        _ make: () throws -> any AnyObject & Sendable
    ) throws {
        guard let target else { throw LibraryFailure.invalid("\(name) is NULL") }
        target.pointee = nil
        target.pointee = insert(try make())
    }
}
