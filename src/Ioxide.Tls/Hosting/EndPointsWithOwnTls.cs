namespace Ioxide.Tls;

/// <summary>The end points that have called <c>UseIoxideTls</c> and so have their own options.</summary>
internal static class EndPointsWithOwnTls
{
    private static readonly ConditionalWeakTable<ListenOptions, object> s_endPoints = [];

    internal static bool IsOn(ListenOptions listen) => s_endPoints.TryGetValue(listen, out _);

    /// <exception cref="InvalidOperationException">It has been called before.</exception>
    internal static void Add(ListenOptions listen)
    {
        if (!s_endPoints.TryAdd(listen, listen))
        {
            throw new InvalidOperationException(
                $"{listen}: UseIoxideTls was called twice, and the options of the second call would be lost. Call it once.");
        }
    }
}
