#if Server
import Foundation
import TestSupport
import Testing

/// Where `tessera serve` takes its settings from.
@Suite("tessera serve --print-configuration")
struct ServeConfigurationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("pictures"), withIntermediateDirectories: true)
        try Data("the token of the operator".utf8).write(to: URL(fileURLWithPath: folder.file("token")))
    }

    private func serve(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> Command.Outcome {
        try Command.run(["serve", "--print-configuration"] + arguments, in: folder, environment: environment)
    }

    private func settings(_ outcome: Command.Outcome) throws -> [String: Any] {
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
        return try #require(JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
    }

    @Test("Options override the environment, and the environment overrides the file")
    func precedence() throws {
        try Data(#"{"port": 1, "max-age": 1, "quality": 0.1, "folders": ["pictures"]}"#.utf8)
            .write(to: URL(fileURLWithPath: folder.file("serve.json")))
        let environment = ["TESSERA_SERVE_MAX_AGE": "2", "TESSERA_SERVE_QUALITY": "0.2"]
        let settings = try settings(serve("--config", "serve.json", "--quality", "0.3", environment: environment))
        #expect(settings["port"] as? Int == 1)
        #expect(settings["max-age"] as? Int == 2)
        #expect(settings["quality"] as? Double == 0.3)
        #expect(settings["folders"] as? [String] == ["pictures"])
        #expect(settings["timeout"] as? Double == 30)
    }

    @Test("What is printed is a file that gives the same settings")
    func printed() throws {
        let first = try serve(
            "pictures", "--port", "0", "--host", "::", "--cache", "kept", "--cache-size", "5G", "--memory", "64M",
            "--public-address", "https://example.org", "--allow-host", "a.example", "--allow-host", "b.example",
            "--allow-origin", "*", "--max-age", "5", "--quality", "0.5", "--jobs", "3", "--waiting", "7",
            "--render-memory", "100M", "--timeout", "2.5", "--drain", "1.5", "--max-pixels", "10M",
            "--max-upscaling", "2", "--preset", "small=w=9", "--only-presets", "--access-log", "combined",
            "--rate-limit", "5", "--trusted-proxy", "10.0.0.0/8", "--base-path", "/images", "--socket", "a.sock",
            "--socket-mode", "600", "--purge-token-file", "token", "--authorize", "http://127.0.0.1:9/",
            "--authorize-field",
            "Cookie", "--authorize-timeout", "2", "--token-service", "https://a/", "--login-page", "https://b/")
        #expect(try settings(first).count == 32)
        try Data(first.output).write(to: URL(fileURLWithPath: folder.file("serve.json")))
        let second = try serve("--config", "serve.json")
        #expect(second.text == first.text)
    }

    @Test(
        "Each option has a variable",
        arguments: [
            ("FOLDERS", "folders", "pictures", "[pictures]"), ("HOST", "host", "::1", "::1"),
            ("PORT", "port", "8", "8"), ("ORIGIN", "origin", "https://a/,https://b/", "[https://a/, https://b/]"),
            ("CACHE", "cache", "kept", "kept"), ("CACHE_SIZE", "cache-size", "1G", "1G"),
            ("MEMORY", "memory", "2G", "2G"), ("PUBLIC_ADDRESS", "public-address", "https://a", "https://a"),
            ("MAX_AGE", "max-age", "3", "3"), ("QUALITY", "quality", "0.25", "0.25"), ("JOBS", "jobs", "2", "2"),
            ("WAITING", "waiting", "4", "4"), ("RENDER_MEMORY", "render-memory", "99M", "99M"),
            ("TIMEOUT", "timeout", "0.5", "0.5"), ("DRAIN", "drain", "0.5", "0.5"),
            ("MAX_PIXELS", "max-pixels", "1M", "1M"), ("MAX_UPSCALING", "max-upscaling", "1.5", "1.5"),
            ("ALLOW_HOST", "allow-host", "a,b", "[a, b]"), ("ALLOW_ORIGIN", "allow-origin", "*", "[*]"),
            ("PRESET", "preset", "a=w=1,b b=h=2", "[a=w=1,b, b=h=2]"),
            ("ONLY_PRESETS", "only-presets", "false", "false"),
            // Systems that can't confine processes refuse to isolate.
            ("ISOLATE", "isolate", "\(!SystemForms.arePOSIX)", "\(!SystemForms.arePOSIX)"),
            ("ACCESS_LOG", "access-log", "json", "json"),
            ("ACCESS_LOG", "access-log", "false", "off"), ("RATE_LIMIT", "rate-limit", "2.5", "2.5"),
            ("TRUSTED_PROXY", "trusted-proxy", "::1,10.0.0.0/8", "[::1, 10.0.0.0/8]"),
            ("BASE_PATH", "base-path", "/images", "/images"), ("SOCKET", "socket", "a.sock", "a.sock"),
            ("SOCKET_MODE", "socket-mode", "600", "600"),
            ("PURGE_TOKEN_FILE", "purge-token-file", "token,token", "[token, token]"),
            ("AUTHORIZE", "authorize", "http://a/", "http://a/"),
        ])
    func variables(_ variable: String, _ option: String, _ text: String, _ expected: String) throws {
        let outcome = try serve(environment: ["TESSERA_SERVE_\(variable)": text])
        let value = try #require(try settings(outcome)[option])
        let shown =
            (value as? [String]).map { "[\($0.joined(separator: ", "))]" }
            ?? (outcome.text.contains("\"\(option)\": \(expected)") ? expected : "\(value)")
        #expect(shown == expected)
    }

    @Test(
        "Settings that are invalid are refused by name",
        arguments: [
            ("TESSERA_SERVE_PORT", "tcp://10.0.0.1:80", "TESSERA_SERVE_PORT is a number"),
            ("TESSERA_SERVE_PORT", "70000", "port is 0 to 65535"),
            ("TESSERA_SERVE_ISOLATE", "yes", "TESSERA_SERVE_ISOLATE is true or false"),
            ("TESSERA_SERVE_DRAIN", "-1", "drain is 0"), ("TESSERA_SERVE_PRESET", "small", "a name and a query"),
            ("TESSERA_SERVE_CACHE_SIZE", "much", "cache-size is a number"),
            ("TESSERA_SERVE_ACCESS_LOG", "yes", "there is no \"yes\"; there is text, combined, json, off"),
            ("TESSERA_SERVE_RATE_LIMIT", "0", "rate-limit is 0.01"),
            ("TESSERA_SERVE_BASE_PATH", "/image", "the base path can't begin with /image"),
            ("TESSERA_SERVE_BASE_PATH", "images", "invalid base path \"images\""),
            ("TESSERA_SERVE_SOCKET_MODE", "668", "socket-mode is an octal number"),
            ("TESSERA_SERVE_PURGE_TOKEN_FILE", "pictures", "pictures"),
            ("TESSERA_SERVE_AUTHORIZE", "localhost:9000", "invalid address \"localhost:9000\""),
            ("TESSERA_SERVE_AUTHORIZE_FIELD", "Cookie", "authorize-field needs authorize"),
            ("TESSERA_SERVE_TOKEN_SERVICE", "https://a/", "token-service needs authorize"),
            ("TESSERA_SERVE_FOLDERS", "pictures,nowhere", "nowhere isn't a folder"),
        ])
    func refusals(_ variable: String, _ text: String, _ message: String) throws {
        let outcome = try serve(environment: [variable: text])
        // A file or a folder isn't invalid as an argument.
        let isAboutFile = variable.hasSuffix("FOLDERS") || variable.hasSuffix("TOKEN_FILE")
        #expect(outcome.status == (isAboutFile ? 1 : 64) && outcome.text == "", "\(outcome.text)")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("A name that no option has is refused in a file")
    func unknown() throws {
        try Data(#"{"prot": 1}"#.utf8).write(to: URL(fileURLWithPath: folder.file("serve.json")))
        let outcome = try serve("--config", "serve.json")
        #expect(outcome.status == 1 && outcome.errors.contains("there is no \"prot\""), "\(outcome.errors)")
    }
}
#endif
