namespace Ioxide.LoadHost;

/// <summary>What serves the static files.</summary>
internal enum FilesChoice
{
    /// <summary><c>UseStaticFiles</c>.</summary>
    Static,

    /// <summary><c>MapStaticAssets</c>.</summary>
    Assets,

    /// <summary><c>MapIoxideFiles</c>.</summary>
    Pipeline,

    /// <summary><c>MapIoxideFiles</c> with <c>ShortCircuit</c>.</summary>
    ShortCircuit,
}
