internal import CTesseraLibLCMS

/// What lcms2 keeps beside its profiles and transforms: a memory of its own for each, without an error handler.
///
/// Unchecked: nothing writes to a context after it is made, as no plug-in or handler is ever set.
final class ICCContext: @unchecked Sendable {
    /// lcms2's handle.
    let handle: cmsContext

    /// A new context; nil for want of memory.
    init?() {
        guard let handle = cmsCreateContext(nil, nil) else { return nil }
        self.handle = handle
    }

    deinit { cmsDeleteContext(handle) }
}
