import Foundation
import TestSupport

/// A message bus with services that stand in for a desktop's: the portal for wallpapers, and colord.
final class DesktopStandIn: Sendable {
    /// Debian's Python with GLib's bindings.
    static let python: CommandLineTool = {
        let python = CommandLineTool("/usr/bin/python3")
        let hasBindings = (try? python.run(["-c", "import gi"])) ?? false
        return hasBindings && CommandLineTool("dbus-daemon").isInstalled ? python : CommandLineTool("python3-gi")
    }()

    private let bus: RunningProgram
    private let services: RunningProgram
    private let address: String

    /// Starts the bus and the services.
    /// - Parameters:
    ///   - record: The file to which calls are written, a line for each.
    ///   - profile: The path of the profile of every monitor; empty for none.
    init(record: String, profile: String = "") async throws {
        let variables = ["PATH": "/usr/bin:/bin"]
        bus = try RunningProgram(
            CommandLineTool("dbus-daemon").path!, ["--session", "--nofork", "--print-address=1"], environment: variables
        )
        address = try await bus.firstLine()
        services = try RunningProgram(
            Self.python.path!, ["-c", Self.script, address, record, profile], environment: variables)
        guard try await services.firstLine() == "ready" else { throw Display.Failure(services.errors) }
    }

    /// The variables by which programs find the bus.
    var environment: [String: String] {
        ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address]
    }

    private static let script = #"""
        import sys
        from gi.repository import Gio, GLib

        address, record, profile = sys.argv[1:]
        bus = Gio.DBusConnection.new_for_address_sync(
            address,
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

        NODES = {
            "/org/freedesktop/portal/desktop": """<node><interface name="org.freedesktop.portal.Wallpaper">
                <method name="SetWallpaperURI"><arg type="s" direction="in"/><arg type="s" direction="in"/>
                <arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method></interface></node>""",
            "/org/freedesktop/ColorManager": """<node><interface name="org.freedesktop.ColorManager">
                <method name="FindDeviceByProperty"><arg type="s" direction="in"/><arg type="s" direction="in"/>
                <arg type="o" direction="out"/></method></interface></node>""",
            "/monitor": """<node><interface name="org.freedesktop.ColorManager.Device">
                <property name="Profiles" type="ao" access="read"/></interface></node>""",
            "/profile": """<node><interface name="org.freedesktop.ColorManager.Profile">
                <property name="Filename" type="s" access="read"/></interface></node>""",
        }


        def call(connection, sender, path, interface, method, parameters, invocation):
            values = parameters.unpack()
            with open(record, "a") as file:
                if method == "SetWallpaperURI":
                    file.write(f"{method} {values[1]} {values[2]['set-on']}\n")
                else:
                    file.write(f"{method} {values[0]}\n")
            result = "/request" if method == "SetWallpaperURI" else "/monitor"
            invocation.return_value(GLib.Variant("(o)", (result,)))


        def get(connection, sender, path, interface, name):
            if name == "Profiles":
                return GLib.Variant("ao", ["/profile"] if profile else [])
            return GLib.Variant("s", profile)


        for path, xml in NODES.items():
            bus.register_object(path, Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0], call, get, None)
        for name in ["org.freedesktop.portal.Desktop", "org.freedesktop.ColorManager"]:
            Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, None, None)
        GLib.timeout_add(300, lambda: print("ready", flush=True))
        GLib.MainLoop().run()
        """#
}
