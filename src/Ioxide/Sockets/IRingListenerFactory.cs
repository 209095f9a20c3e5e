namespace Ioxide;

/// <summary>Marks a factory of listeners whose connections are <see cref="RingConnection"/>s.</summary>
/// <remarks>Packages that do their work on the ring look for it before they promise that.</remarks>
internal interface IRingListenerFactory
{
}
