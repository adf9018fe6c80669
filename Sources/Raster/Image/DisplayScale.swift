internal import Synchronization

/// How many pixels the display has per point: what a picture's scale of 0 stands for.
public enum DisplayScale {
    private static let storage = Mutex(1.0)

    /// The scale of the process's display. 1 until a view sets it; anything not above 0 is ignored.
    public static var current: Double {
        get { storage.withLock { $0 } }
        set { if newValue > 0, newValue.isFinite { storage.withLock { $0 = newValue } } }
    }
}
