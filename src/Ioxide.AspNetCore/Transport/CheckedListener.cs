namespace Ioxide.AspNetCore;

/// <summary>An endpoint of a host that is only checked: it has its address, and accepts no connection.</summary>
internal sealed class CheckedListener(HeldAddress address) : IConnectionListener
{
    private readonly TaskCompletionSource _unbound = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public EndPoint EndPoint => address.EndPoint;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        await _unbound.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        return null;
    }

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        address.Dispose();
        _unbound.TrySetResult();
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => UnbindAsync();
}
