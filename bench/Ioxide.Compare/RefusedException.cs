namespace Ioxide.Compare;

/// <summary>A run that must not be counted: it measured errors, or not the side that was asked for.</summary>
internal class RefusedException(string reason) : Exception(reason);

/// <summary>A round that says nothing of the server because the load was kept from its own CPU; it may be run again.</summary>
internal sealed class LateLoadException(string reason) : RefusedException(reason);
