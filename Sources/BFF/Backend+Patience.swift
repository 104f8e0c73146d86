extension Backend {
    /// How long a request that answers a page of an instance may take, where that is not the server's to say: nodes of DaVinci
    /// flows may call others for minutes.
    package func patience(of instance: String) -> Duration? {
        guard let client = try? environment.resolve(instance).1, client.flows.kind == .davinci else { return nil }
        return client.stepTimeout + .seconds(5)
    }
}
