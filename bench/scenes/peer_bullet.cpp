// Bullet, as Debian builds it: single precision. The one file in C++, behind the table of peer.h.
#include "peer.h"

#include <btBulletDynamicsCommon.h>
#include <math.h>
#include <memory>
#include <vector>

namespace
{

struct world {
    const bench_scene *scene;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld dynamics{&dispatcher, &broad_phase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> planes, bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> hinges;
};

btVector3 vector_of(const double *x)
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

// Bullet multiplies the coefficients of the two bodies.
void set_surface(const bench_scene *scene, btRigidBody *body)
{
    body->setFriction(btScalar(sqrt(scene->friction)));
    body->setRestitution(btScalar(sqrt(scene->restitution)));
}

void add_plane(world *w, const bench_plane &plane)
{
    w->shapes.emplace_back(new btStaticPlaneShape(vector_of(plane.normal), btScalar(plane.offset)));
    w->planes.emplace_back(new btRigidBody(0, nullptr, w->shapes.back().get()));
    set_surface(w->scene, w->planes.back().get());
    w->dynamics.addRigidBody(w->planes.back().get());
}

void add_body(world *w, const bench_body &body)
{
    const double *q = body.orientation;
    const btQuaternion turn{btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])};
    if (body.is_sphere)
        w->shapes.emplace_back(new btSphereShape(btScalar(body.radius)));
    else
        w->shapes.emplace_back(new btBoxShape(vector_of(body.half)));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body.mass), nullptr, w->shapes.back().get(),
                                                  vector_of(body.inertia));
    info.m_startWorldTransform = btTransform(turn, vector_of(body.position));
    w->bodies.emplace_back(new btRigidBody(info));
    btRigidBody *made = w->bodies.back().get();
    set_surface(w->scene, made);
    made->setDamping(0, 0);
    made->setActivationState(DISABLE_DEACTIVATION);
    if (w->scene->is_chain)
        w->dynamics.addRigidBody(made, 1, 0); // links do not touch
    else
        w->dynamics.addRigidBody(made);
}

void add_hinge(world *w, int k)
{
    btScalar half = btScalar(w->scene->bodies[k].half[0]);
    btVector3 axis(0, 1, 0), before(half, 0, 0), after(-half, 0, 0);
    btRigidBody &body = *w->bodies[size_t(k)];
    if (k == 0)
        w->hinges.emplace_back(new btHingeConstraint(body, after, axis));
    else
        w->hinges.emplace_back(
            new btHingeConstraint(*w->bodies[size_t(k - 1)], body, before, after, axis, axis));
    w->dynamics.addConstraint(w->hinges.back().get(), true);
}

void *open_world(const bench_scene *scene, const bench_setting *setting)
{
    world *w = new world;
    w->scene = scene;
    w->dynamics.setGravity(vector_of(scene->gravity));
    w->dynamics.getSolverInfo().m_numIterations = int(setting->number);
    for (int k = 0; k < scene->plane_count; k++) add_plane(w, scene->planes[k]);
    for (int k = 0; k < scene->body_count; k++) add_body(w, scene->bodies[k]);
    for (int k = 0; k < scene->body_count && scene->is_chain; k++) add_hinge(w, k);
    return w;
}

bool step_world(void *context)
{
    world *w = static_cast<world *>(context);
    w->dynamics.stepSimulation(btScalar(w->scene->time_step), 0);
    return true;
}

// The normal on B points from B to A: the impulse acts on A.
void read_contact(const btManifoldPoint &point, const btRigidBody *a, const btRigidBody *b,
                  bench_contact *contact)
{
    btVector3 impulse = point.getAppliedImpulse() * point.m_normalWorldOnB +
                        point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                        point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
    btVector3 velocity =
        a->getVelocityInLocalPoint(point.getPositionWorldOnA() - a->getCenterOfMassPosition()) -
        b->getVelocityInLocalPoint(point.getPositionWorldOnB() - b->getCenterOfMassPosition());
    contact->inverse_mass = double(a->getInvMass()) + double(b->getInvMass());
    for (int d = 0; d < 3; d++) {
        contact->normal[d] = double(point.m_normalWorldOnB[d]);
        contact->impulse[d] = double(impulse[d]);
        contact->velocity[d] = double(velocity[d]);
    }
}

void read_manifold(btPersistentManifold *manifold, bench_sample *sample)
{
    const btRigidBody *a = btRigidBody::upcast(manifold->getBody0()),
                      *b = btRigidBody::upcast(manifold->getBody1());
    for (int k = 0; k < manifold->getNumContacts(); k++) {
        const btManifoldPoint &point = manifold->getContactPoint(k);
        if (point.getDistance() > 0 && point.getAppliedImpulse() == 0) continue;
        bench_contact *contact = bench_sample_add(sample);
        if (contact != nullptr) read_contact(point, a, b, contact);
    }
}

void read_world(void *context, bench_sample *sample)
{
    world *w = static_cast<world *>(context);
    for (size_t k = 0; k < w->bodies.size(); k++) {
        const btRigidBody *body = w->bodies[k].get();
        bench_motion *now = &sample->bodies[k];
        btQuaternion turn = body->getOrientation();
        for (int d = 0; d < 3; d++) {
            now->position[d] = double(body->getCenterOfMassPosition()[d]);
            now->velocity[d] = double(body->getLinearVelocity()[d]);
            now->spin[d] = double(body->getAngularVelocity()[d]);
            now->orientation[d + 1] = double(turn[d]);
        }
        now->orientation[0] = double(turn.w());
    }
    for (int k = 0; k < w->dispatcher.getNumManifolds(); k++)
        read_manifold(w->dispatcher.getManifoldByIndexInternal(k), sample);
}

void close_world(void *context)
{
    world *w = static_cast<world *>(context);
    for (auto &hinge : w->hinges) w->dynamics.removeConstraint(hinge.get());
    for (auto &body : w->bodies) w->dynamics.removeRigidBody(body.get());
    for (auto &plane : w->planes) w->dynamics.removeRigidBody(plane.get());
    delete w;
}

const bench_setting settings[] = {
    {"10 iterations", "", 10, 0}, {"100 iterations", "", 100, 0}, {nullptr, nullptr, 0, 0}};

} // namespace

extern "C" const bench_peer bench_peer_bullet = {"Bullet",   settings, open_world, step_world,
                                                 read_world, nullptr,  close_world};
