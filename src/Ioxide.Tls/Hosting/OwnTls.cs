namespace Ioxide.Tls;

/// <summary>Which end points have called <c>UseIoxideTls</c>: their options are their own.</summary>
internal static class OwnTls
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
