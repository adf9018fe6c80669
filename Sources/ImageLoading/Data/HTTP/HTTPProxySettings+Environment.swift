#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension HTTPProxySettings {
    /// What this process's environment says.
    public static var environment: HTTPProxySettings {
        HTTPProxySettings(environment: ProcessInfo.processInfo.environment)
    }
}
