namespace Ioxide.Tests;

/// <summary>Tests with one connection on a reactor and the plain socket at its other end.</summary>
public abstract class PairedTests : ReactorTests
{
    private LoopbackPair? _pair;

    private protected LoopbackPair Pair => _pair!; // From the start.

    public override async ValueTask InitializeAsync() => _pair = await LoopbackPair.ConnectAsync(Fixture);

    public override async ValueTask DisposeAsync()
    {
        await Pair.DisposeAsync();
        await base.DisposeAsync();
        GC.SuppressFinalize(this);
    }
}
