/// The modules that make a workflow a journey; register one again to change its configuration.
public enum JourneyModules {}
