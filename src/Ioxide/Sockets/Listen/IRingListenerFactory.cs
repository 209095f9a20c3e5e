namespace Ioxide;

/// <summary>Marks a listener factory whose connections are <see cref="RingConnection"/>s.</summary>
/// <remarks>Packages that work on the ring check for it first.</remarks>
internal interface IRingListenerFactory
{
}
