namespace Ioxide;

/// <summary>An address that is bound as a listener's and not served: shows whether a server would get it.</summary>
internal sealed class HeldAddress : IDisposable
{
    private readonly Kernel _kernel;
    private readonly string? _socketFile;
    private int _descriptor;

    private HeldAddress(Kernel kernel, int descriptor, EndPoint endPoint, string? socketFile)
    {
        _kernel = kernel;
        _descriptor = descriptor;
        _socketFile = socketFile;
        EndPoint = endPoint;
    }

    /// <summary>The bound address, with the actual port.</summary>
    internal EndPoint EndPoint { get; }

    /// <summary>Binds as <see cref="RingListener"/> does.</summary>
    /// <remarks>
    /// It listens, so that a second one of the same address is refused; but not on a port that processes share, where the kernel would
    /// give it connections of a running server.
    /// </remarks>
    /// <exception cref="SocketException">As for bind(2) and listen(2).</exception>
    internal static async Task<HeldAddress> BindAsync(
        Kernel kernel, EndPoint endPoint, RingListenOptions options, CancellationToken cancellationToken)
    {
        options.Validate();
        int descriptor = await RingListener.BindFirstAsync(kernel, endPoint, options, cancellationToken).ConfigureAwait(false);
        var held = new HeldAddress(
            kernel, descriptor, SocketAddress.LocalOf(kernel, descriptor) ?? endPoint, RingListener.SocketFileOf(endPoint));
        try
        {
            if (!options.AllowPortSharing)
            {
                ListenSocket.Listen(kernel, descriptor, options.Backlog);
            }

            return held;
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    /// <summary>Looks at a listening socket that its owner bound and keeps.</summary>
    /// <exception cref="SocketException">The descriptor is none.</exception>
    internal static HeldAddress OfHandedIn(Kernel kernel, int descriptor)
        => new(kernel, -1, ListenSocket.CheckHandedIn(kernel, descriptor), socketFile: null);

    public void Dispose()
    {
        int descriptor = Interlocked.Exchange(ref _descriptor, -1);
        if (descriptor < 0)
        {
            return;
        }

        _ = _kernel.Close(descriptor);
        ListenSocket.RemoveFile(_socketFile);
    }
}
