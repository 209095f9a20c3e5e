namespace Ioxide;

/// <summary>Stands for <see cref="ReactorOptions.Events"/> where the host set none: its errors go to standard error.</summary>
internal sealed class StandardErrorEvents : ReactorEvents
{
    internal static readonly StandardErrorEvents Instance = new();

    public override void UnhandledException(int reactorId, Exception exception)
        => Console.Error.WriteLine($"Ioxide: code on reactor {reactorId} threw an exception that was not awaited. {exception}");

    public override void ReactorFaulted(int reactorId, Exception exception)
        => Console.Error.WriteLine(
            $"Ioxide: reactor {reactorId} has ended because of an exception. Its connections are closed. Restart the process. {exception}");
}
