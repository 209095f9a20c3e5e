namespace Ioxide.Soak;

/// <summary>Something bad that happens to the server, and is over when the task completes.</summary>
internal sealed record Fault(string Name, Func<Random, Task> RunAsync);
