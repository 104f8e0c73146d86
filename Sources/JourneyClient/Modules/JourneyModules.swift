/// The modules that make a workflow a journey; register a module again to change its configuration.
public enum JourneyModules {}
