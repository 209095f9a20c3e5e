using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Tls;

/// <summary>Which transport will bind an end point: Kestrel asks the last one that was added first.</summary>
internal static class EndPointTransport
{
    internal const string Reason =
        "io_uring does not serve this end point: UseIoxide() was not called, or the log of the io_uring transport says why.";

    /// <summary>Whether its connections will be on rings. Starts the reactors, as binding would.</summary>
    internal static bool IsRing(ListenOptions listen)
        => listen.ApplicationServices.GetServices<IConnectionListenerFactory>().Reverse().FirstOrDefault(
            factory => factory is not IConnectionListenerFactorySelector selector || selector.CanBind(listen.EndPoint)) is IRingListenerFactory;
}
