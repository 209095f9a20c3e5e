namespace Ioxide.Simulation;

/// <summary>Memory that is handed out by reference, and overwritten in the moment in which it comes back.</summary>
internal sealed class SpoilingOwner : IDisposable
{
    private readonly EchoApplication _application;
    private readonly World _world;
    private readonly byte[] _bytes;
    private bool _isDisposed;

    internal SpoilingOwner(EchoApplication application, World world, ReadOnlySpan<byte> bytes)
    {
        _application = application;
        _world = world;
        _bytes = bytes.ToArray();
        application.OwnerMade();
    }

    internal ReadOnlyMemory<byte> Memory => _bytes;

    public void Dispose()
    {
        if (_isDisposed)
        {
            _world.Violated("memory was given back twice");
            return;
        }

        _isDisposed = true;
        _application.OwnerDisposed();
        _bytes.AsSpan().Fill(0xEE);
        _world.CheckApplication();
        _application.BlockSomewhere(BlockSite.InOwner);
    }
}
