namespace Ioxide.BlockedHost;

/// <summary>The host ends with who started it: its standard input does then.</summary>
internal static class HostInput
{
    /// <summary>Completes when standard input has ended. The console reads it blocking, so that takes a thread.</summary>
    internal static Task EndAsync()
        => Task.Factory.StartNew(Console.In.ReadToEnd, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
