import ImageViewsGTK
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips where there are no windows to be had, and says why.
    static var needsWindows: Self {
        let tools = [CommandLineTool("Xvfb"), CommandLineTool("xdotool"), CommandLineTool("import")]
        let missing = tools.filter { !$0.isInstalled }.map(\.name).joined(separator: ", ")
        #if GTK
        let reason = isGTKAvailable ? "not installed: \(missing)" : "GTK's files are missing"
        return .enabled(if: isGTKAvailable && missing.isEmpty, "\(reason)")
        #else
        return .enabled(if: false, "built without the trait GTK")
        #endif
    }
}
