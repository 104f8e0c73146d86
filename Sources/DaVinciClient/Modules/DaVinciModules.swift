/// The modules that make a workflow a DaVinci flow; register one again to change its configuration.
public enum DaVinciModules {
    /// The response mode in which PingOne answers with pages instead of redirects.
    static let responseMode = "pi.flow"
}
