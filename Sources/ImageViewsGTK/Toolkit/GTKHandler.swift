#if GTK
internal import CTesseraGTK

/// A closure that C holds by a reference.
@MainActor
private final class HandlerBody {
    let call: @MainActor (GTKEvent) -> Bool
    nonisolated init(_ call: @escaping @MainActor (GTKEvent) -> Bool) { self.call = call }
}

/// A value that GTK hands to a callback, on the way into the main actor.
///
/// Unchecked: GTK calls back on the main thread alone, so that it goes from that thread to itself.
struct OnMainThread<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension tessera_handler {
    /// A handler that calls `body`, and lets go of it when nobody can call it any more.
    init(_ body: @escaping @MainActor (GTKEvent) -> Bool) {
        self.init(
            call: { context, event in
                guard let context, let event = event?.pointee else { return false }
                let call = OnMainThread((context, GTKEvent(event)))
                return MainActor.assumeIsolated {
                    // Holds: C has the reference that was taken for it below until it calls `release`.
                    Unmanaged<HandlerBody>.fromOpaque(call.value.0).takeUnretainedValue().call(call.value.1)
                }
            },
            release: { context in
                if let context { Unmanaged<HandlerBody>.fromOpaque(context).release() }
            },
            context: Unmanaged.passRetained(HandlerBody(body)).toOpaque())
    }
}
#endif
