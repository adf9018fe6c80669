public import CTessera
internal import ImageFormats
internal import ImageIsolation

// The functions of isolation. Their documentation is in tessera.h.

/// Prepares decoding in processes that can't open files or use the network.
@c @implementation
public func tessera_isolation_create(
    _ options: UnsafePointer<tessera_isolation_options>?, _ isolation: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<tessera_error>?
) -> tessera_status {
    LibraryCall.perform(error) {
        try HandleTable.shared.store(in: isolation, name: "isolation") {
            let given = try CallerStructure.read(options, name: "options")
            let standard = IsolatedDecoding.Options()
            // Larger numbers mean the same, and no sum with them overflows.
            func number(_ value: Int64, _ name: String, _ standard: Int) throws(LibraryFailure) -> Int {
                min(try CallerText.count(value, name: name, standard: standard), 1 << 30)
            }
            let settings = IsolatedDecoding.Options(
                processorSeconds: try number(
                    given.processor_seconds, "processor_seconds", standard.processorSeconds),
                answerSeconds: try number(given.answer_seconds, "answer_seconds", standard.answerSeconds),
                picturesPerWorker: try number(
                    given.images_per_worker, "images_per_worker", standard.picturesPerWorker))
            guard let worker = try CallerText.read(given.worker, name: "worker") else {
                return try IsolatedDecoding(options: settings)
            }
            return IsolatedDecoding(worker: worker, options: settings)
        }
    }
}

/// Frees the handle.
@c @implementation
public func tessera_isolation_free(_ isolation: OpaquePointer?) {
    HandleTable.shared.remove(isolation, as: IsolatedDecoding.self)
}
