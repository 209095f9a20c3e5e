namespace Ioxide.Tls.Tests;

/// <summary>Time that a test moves.</summary>
internal sealed class Clock : TimeProvider
{
    internal DateTimeOffset Now { get; set; } = DateTimeOffset.UtcNow;

    public override DateTimeOffset GetUtcNow() => Now;
}
